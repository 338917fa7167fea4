import { Document, isScalar, visit } from 'yaml'
import { clean, cleanJson } from './clean.ts'

/** YAML of a value. Text that a terminal might act on stands escaped in double quotes, so that nothing is lost. */
export function cleanYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && typeof node.value === 'string' && clean(node.value) !== node.value)
        node.type = 'QUOTE_DOUBLE'
    },
  })
  return cleanJson(document.toString({ lineWidth: 0 }))
}
