import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  completed: db.prepare<[user: string], { completed: number }>(
    'SELECT onboarding_completed AS completed FROM users WHERE id = ?',
  ),
  complete: db.prepare<{ user: string; now: string }>(
    'UPDATE users SET onboarding_completed = 1, updated_at = @now WHERE id = @user AND onboarding_completed = 0',
  ),
}))
