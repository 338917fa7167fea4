interface Element {
  /** Ids of what it refers to. */
  to: string[]
  within: Element[]
}

/** The elements of a picture that lead to others of it: a few that are nested take a browser for ever. */
export interface References {
  opened(): void
  /** An attribute of the element that was opened last. */
  note(attribute: string, value: string): void
  closed(): void
  /** How many elements are drawn in all; infinite where they are nested too deep, or in a circle. */
  drawn(): number
}

const inText = /#([\w.-]+)/g

/** What is nested deeper, by elements and references together, is not counted. */
const deepest = 200

export function createReferences(): References {
  const root: Element = { to: [], within: [] }
  const above = [root]
  const byId = new Map<string, Element>()
  const known = new Map<Element, number>()

  function count(element: Element, depth: number): number {
    const before = known.get(element)
    if (before !== undefined) return before
    // Met again before it is counted: a circle.
    known.set(element, Number.POSITIVE_INFINITY)
    if (depth > deepest) return Number.POSITIVE_INFINITY
    let total = 1
    for (const part of element.within) total += count(part, depth + 1)
    for (const id of element.to) {
      const part = byId.get(id)
      if (part) total += count(part, depth + 1)
    }
    known.set(element, total)
    return total
  }

  return {
    opened() {
      const element: Element = { to: [], within: [] }
      above.at(-1)!.within.push(element)
      above.push(element)
    },
    note(attribute, value) {
      const element = above.at(-1)!
      // Of several with the same id, the first is meant.
      if (attribute === 'id' && !byId.has(value)) byId.set(value, element)
      else if (attribute.endsWith('href') || value.includes('url('))
        element.to.push(...Array.from(value.matchAll(inText), ([, id]) => id!))
    },
    closed: () => void above.pop(),
    drawn: () => count(root, 0),
  }
}
