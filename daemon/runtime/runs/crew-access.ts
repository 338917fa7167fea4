import type { App } from '#kernel/app'
import { desiredCrew, use, want } from '../../features/crews/containers/service.ts'
import type { RunParts } from './parts.ts'

/** Brings crews up for runs: stores the desired state, which the reconciler then makes true. */
export function createCrewAccess(app: App): Pick<RunParts, 'ready' | 'goneFor'> {
  return {
    async ready(crewId) {
      await app.write(() => {
        want(app, crewId, 'running', null)
        use(app, crewId)
      })
      await app.runtime.start(crewId)
    },
    goneFor(crewId) {
      const wanted = desiredCrew(app, crewId)?.want
      if (wanted === 'running') return null
      return wanted === 'stopped' ? 'its crew was stopped' : 'its crew was deleted'
    },
  }
}
