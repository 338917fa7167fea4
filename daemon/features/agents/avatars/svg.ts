import { problem } from '#kernel/problem'
import { createReferences } from './references.ts'

export const svgLimit = 64 * 1024

/** Elements that a browser draws in all, those of references each time that they are referred to. */
const drawnLimit = 20_000

const shapes = `svg g defs title desc path rect circle ellipse line polyline polygon text tspan use symbol clipPath mask
  linearGradient radialGradient stop pattern filter feGaussianBlur feOffset feBlend feColorMatrix feComposite feFlood
  feMerge feMergeNode metadata`
const elements = new Set(shapes.split(/\s+/))

const names = `id class x y x1 y1 x2 y2 cx cy r rx ry d dx dy fx fy points width height viewBox preserveAspectRatio
  transform opacity fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-dasharray stroke-dashoffset clip-path clip-rule clipPathUnits mask maskUnits
  maskContentUnits mask-type gradientUnits gradientTransform spreadMethod offset stop-color stop-opacity patternUnits
  patternTransform filter filterUnits color-interpolation-filters in in2 result stdDeviation mode operator values type
  flood-color flood-opacity k1 k2 k3 k4 shape-rendering text-anchor dominant-baseline font-family font-size font-weight
  version role aria-label aria-hidden xml:space href xlink:href`
const attributes = new Set(names.split(/\s+/))

/** What pictures say of who drew them: inert, whatever its name, as long as its prefix means what it should. */
const described = /^(?:rdf|dc|cc|dcterms|xsi):[A-Za-z]+$/
const namespaces: Record<string, string> = {
  xmlns: 'http://www.w3.org/2000/svg',
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
  'xmlns:rdf': 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
  'xmlns:dcterms': 'http://purl.org/dc/terms/',
  'xmlns:cc': 'http://creativecommons.org/ns#',
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
}

const refuse = (detail: string) => problem('invalid_field', { field: 'svg', detail })

const name = '[A-Za-z_][\\w.:-]*'
const attribute = new RegExp(`\\s+(${name})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'y')
const opening = new RegExp(`<(${name})`, 'y')
const closing = new RegExp(`</(${name})\\s*>`, 'y')
const plain = /[^<]+/y
const end = /\s*(\/?)>/y

/** Throws unless the text is one picture of allowed elements and attributes, that leads nowhere and runs nothing. */
export function checkSvg(text: string): void {
  if (Buffer.byteLength(text) > svgLimit) throw refuse('svg must have at most 65536 bytes')
  const source = text.trim()
  const above: string[] = []
  const references = createReferences()
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at = pattern.lastIndex
    return found
  }
  while (at < source.length) {
    if (at > 0 && above.length === 0) throw refuse('svg must be one element and nothing else')
    const closed = take(closing)
    if (closed) {
      if (above.pop() !== closed[1]) throw refuse('svg is not well-formed')
      references.closed()
      continue
    }
    const opened = take(opening)
    if (opened) {
      checkElement(opened[1]!, above.length)
      references.opened()
      for (let it = take(attribute); it; it = take(attribute)) {
        const [name, value] = [it[1]!, it[2] ?? it[3]!]
        checkAttribute(name, value)
        references.note(name, value)
      }
      const over = take(end)
      if (!over) throw refuse(`svg: the element ${opened[1]} is not well-formed`)
      if (over[1]) references.closed()
      else above.push(opened[1]!)
      continue
    }
    const words = take(plain)
    if (!words || above.length === 0)
      throw refuse('svg must be made of elements: no declarations, comments or entities')
    checkEntities(words[0])
  }
  if (above.length || at === 0) throw refuse('svg is not well-formed')
  if (references.drawn() > drawnLimit) throw refuse('svg draws too much: its references repeat too many elements')
}

function checkElement(element: string, depth: number): void {
  if (depth === 0 ? element !== 'svg' : !elements.has(element) && !described.test(element))
    throw refuse(`svg: the element ${element.slice(0, 50)} is not allowed here`)
}

function checkAttribute(attribute: string, value: string): void {
  if (Object.hasOwn(namespaces, attribute)) {
    if (value !== namespaces[attribute]) throw refuse(`svg: ${attribute} must be ${namespaces[attribute]}`)
    return
  }
  checkEntities(value)
  if (described.test(attribute)) return
  if (!attributes.has(attribute)) throw refuse(`svg: the attribute ${attribute.slice(0, 50)} is not allowed`)
  if (attribute.endsWith('href') && !/^#[\w.-]+$/.test(value))
    throw refuse('svg: a reference must lead to its own parts')
  const outside = value.replace(/url\(\s*(["']?)#[\w.-]+\1\s*\)/g, '')
  if (/(?:url|src|image|image-set|cross-fade|element)\s*\(|[\\@]|javascript:|data:/i.test(outside))
    throw refuse(`svg: ${attribute} must lead to its own parts`)
}

/** Other entities could spell what was refused. */
function checkEntities(text: string): void {
  if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(text)) throw refuse('svg: only the entities of XML itself are allowed')
}
