import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  completed: db.prepare<[user: string], { completed: number }>(
    'SELECT onboarding_completed AS completed FROM users WHERE id = ?',
  ),
}))
