import { describe, expect, it } from 'vitest'
import { Board, type Card, inColumns, neighbour, type Status } from '../../../cli/board/board.ts'
import { boardFrame } from '../../../cli/board/frame.ts'

const card = (number: number, status: Status, more: Partial<Card> = {}) =>
  ({ id: `i${number}`, number, identifier: `WEB-${number}`, status, priority: 'none', created_at: '', ...more }) as Card
const told = (board: Board) => board.columns.map(({ status, cards }) => `${status} ${cards.map(({ id }) => id)}`.trim())

describe('a board', () => {
  it('has five columns, and others for what is there', () => {
    const board = new Board()
    expect(told(board)).toEqual(['BACKLOG', 'TODO', 'IN_PROGRESS', 'REVIEW', 'DONE'])
    board.fill([card(1, 'FAILED'), card(2, 'TODO')])
    expect(told(board)).toEqual(['BACKLOG', 'TODO i2', 'IN_PROGRESS', 'REVIEW', 'DONE', 'FAILED i1'])
    board.drop('i1')
    expect(told(board)).toEqual(['BACKLOG', 'TODO i2', 'IN_PROGRESS', 'REVIEW', 'DONE'])
  })

  it('has what is urgent first, then what is new', () => {
    const cards = [card(1, 'TODO'), card(2, 'TODO'), card(3, 'BACKLOG'), card(4, 'TODO', { priority: 'urgent' })]
    expect(inColumns(cards).map(({ id }) => id)).toEqual(['i3', 'i4', 'i2', 'i1'])
  })

  it('follows the chosen issue, and stays where it is when that one is gone', () => {
    const board = new Board()
    board.fill([card(1, 'BACKLOG'), card(2, 'BACKLOG'), card(3, 'BACKLOG')])
    board.down(1)
    expect(board.current?.id).toBe('i2')
    board.put(card(4, 'BACKLOG'))
    expect(board.current?.id).toBe('i2')
    board.put(card(2, 'TODO'))
    expect(board.current?.id).toBe('i2')
    expect(board.columns[board.at.column]?.status).toBe('TODO')
    board.drop('i2')
    expect(board.current).toBeUndefined()
    board.right(-1)
    board.down(99)
    expect(board.current?.id).toBe('i1')
    board.down(-99)
    board.right(99)
    expect(board.columns[board.at.column]?.status).toBe('DONE')
  })
})

it('a card has the issue and who works on it, apart from each other', () => {
  const board = new Board()
  board.fill([card(1, 'TODO', { assignee_name: 'Bob', title: 'Mend it', labels: [] })])
  const scene = { board, crew: 'web', mode: 'board', scroll: 0, remark: null, connected: true, loaded: true } as const
  const rows = boardFrame({ ...scene, width: 120, height: 24 }).rows.map((row) => row.map(({ text }) => text).join(''))
  expect(rows.join('\n')).toMatch(/WEB-1 Bob +/)
})

it.each([
  ['BACKLOG', 'TODO', undefined],
  ['TODO', 'IN_PROGRESS', 'BACKLOG'],
  ['IN_PROGRESS', 'REVIEW', 'TODO'],
  ['REVIEW', 'DONE', 'IN_PROGRESS'],
  ['DONE', undefined, 'BACKLOG'],
  ['FAILED', undefined, 'IN_PROGRESS'],
  ['CANCELLED', undefined, 'TODO'],
  ['DUPLICATE', undefined, undefined],
] as const)('from %s an issue is moved to %s and %s', (status, right, left) => {
  expect(neighbour(status, 1)).toBe(right)
  expect(neighbour(status, -1)).toBe(left)
})
