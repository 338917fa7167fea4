/** A browser that signs in at `issuer`, which asks nothing of it: answers where it is sent back to. */
export async function visitUntilBack(location: string, issuer: string): Promise<URL> {
  const jar = new Map<string, string>()
  for (let url = new URL(location), hops = 0; hops < 10; hops++) {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const next = answer.headers.get('location')
    if (!next) throw new Error(`The server answers ${answer.status}: ${await answer.text()}`)
    url = new URL(next, url)
    if (url.origin !== issuer) return url
  }
  throw new Error('The server sends the browser around in circles')
}
