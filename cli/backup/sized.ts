import { human, size } from '../output/cell.ts'

/** Bytes within a sentence, as "1.5 MB". */
export const sized = (bytes: number): string => human(size(bytes)).text
