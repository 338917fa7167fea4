import type { App } from '../app.ts'
import type { Feature } from '../feature.ts'

/** Starts the features' jobs, in the order in which the features are listed. */
export function startJobs(app: App, features: Record<string, Pick<Feature, 'jobs'>>): { close(): void } {
  const jobs = Object.values(features).flatMap((feature) => feature.jobs)
  const started = jobs.map((start) => start(app))
  return {
    close() {
      for (const job of started) job.close()
    },
  }
}
