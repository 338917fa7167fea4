/** Most levels of a body: whoever walks it later must not run out of stack. */
export const deepestBody = 100

const [quote, backslash, openList, closeList, openObject, closeObject] = [34, 92, 91, 93, 123, 125]

/** Whether JSON is nested deeper than this. It is read once, without being parsed. */
export function nestsDeeper(json: string, most: number): boolean {
  if (json.length <= 2 * most) return false
  for (let at = 0, depth = 0, inText = false; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (inText) {
      if (code === backslash) at++
      else if (code === quote) inText = false
    } else if (code === quote) inText = true
    else if (code === openList || code === openObject) {
      if (++depth > most) return true
    } else if (code === closeList || code === closeObject) depth--
  }
  return false
}
