/** Whether a host is among names, of which `*.example.com` stands for all below it. */
export const isAmong = (host: string, names: readonly string[]): boolean =>
  names.some((one) => {
    const name = one.trim().toLowerCase()
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
  })
