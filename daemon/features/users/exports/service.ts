import type { Static } from 'typebox'
import type { PersonalData } from '#contract/personal-data'
import type { users } from '#contract/users'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { valuesOf } from '../../preferences/service.ts'
import { stored } from '../avatars/service.ts'
import { queries } from './queries.ts'

/** Uses of administrative tokens that are shown one by one; there is one for each request. */
const usesShown = 10_000
/** What the person said in rooms; the rest is read there. */
const messagesShown = 10_000

/**
 * Everything about a person's account, as of one moment. What they did in a workspace is in its journal and not here.
 */
export function personalData(
  app: App,
  { actor: { id }, now, web }: Call<typeof users.export>,
): Static<typeof PersonalData> {
  const read = queries(app.db)
  const profile = read.profile.get(id)
  if (!profile) throw problem('not_found')
  web?.reply.headers({ 'content-disposition': 'attachment; filename="muster-personal-data.json"' })
  const avatar = stored(app, id)
  const hours = read.hours.get(id)
  return {
    format: 'muster-personal-data-1',
    exported_at: now,
    profile: {
      ...profile,
      onboarding_completed: profile.onboarding_completed === 1,
      has_password: profile.has_password === 1,
    },
    avatar: avatar && {
      media_type: avatar.media_type,
      bytes: avatar.bytes.length,
      base64: avatar.bytes.toString('base64'),
    },
    preferences: valuesOf(app, id),
    notification_hours: hours ? { ...hours, urgent_waits: hours.urgent_waits === 1 } : null,
    memberships: read.memberships
      .all(id)
      .map(({ capabilities_json, ...row }) => ({ ...row, capabilities: list(capabilities_json) })),
    crew_memberships: read.crewMemberships.all(id),
    sessions: read.sessions.all(id),
    cli_tokens: read.tokens.all(id).map(({ scopes_json, ...row }) => ({ ...row, scopes: list(scopes_json) })),
    cli_token_uses: { total: read.tokenUseCount.get(id)!.count, newest: read.tokenUses.all(id, usesShown) },
    linked_accounts: read.linkedAccounts.all(id),
    pairings: read.pairings.all(id),
    mailed_links: read.links.all(id),
    invitations_received: read.invitationsTo.all(profile.email),
    invitations_sent: read.invitationsBy.all(id),
    rooms: read.rooms.all(id),
    room_messages: { total: read.countInRooms.get(id)!.count, newest: read.saidInRooms.all(id, messagesShown) },
    peer_cards: read.peerCards.all(id),
  }
}

const list = (json: string | null): string[] | null => (json === null ? null : (JSON.parse(json) as string[]))
