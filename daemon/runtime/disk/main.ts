/** Measures folders at the lowest priority and prints the usage as JSON: `usage.cjs MOST FOLDER...`. */
import { constants, setPriority } from 'node:os'
import { measure } from './usage.ts'

const [most, ...roots] = process.argv.slice(2)
setPriority(constants.priority.PRIORITY_LOW)
process.stdout.write(`${JSON.stringify(measure(roots, Number(most)))}\n`)
