import { Type } from 'typebox'
import { roles } from '../roles.ts'
import { audit, type Names, Word } from './define.ts'

const offer = { email: Word, role: Type.Enum([...roles]) }
const Offer = Type.Object(offer)
const Acceptance = Type.Object({ ...offer, user_id: Type.String() })
const Withdrawal = Type.Object({ ...offer, reason: Type.Optional(Type.String()) })

const inFull = ({ person, actor }: Names) => (person === actor ? actor : `${person} (${actor})`)

export const invitationFacts = {
  'invitation.created': audit(
    'audit.entity_created',
    'invitation',
    Offer,
    ({ metadata: { email, role } }, { actor }) => `${actor} invited ${email} as ${role}`,
  ),
  'invitation.accepted': audit(
    'audit.entity_updated',
    'invitation',
    Acceptance,
    ({ metadata: { email, role } }, names) =>
      `${inFull(names)} joined as ${role}${email === names.actor ? '' : ` with the invitation for ${email}`}`,
    { action: 'accept' },
  ),
  'invitation.declined': audit(
    'audit.entity_deleted',
    'invitation',
    Offer,
    ({ metadata: { role } }, names) => `${inFull(names)} declined the invitation to join as ${role}`,
    { action: 'decline' },
  ),
  'invitation.revoked': audit(
    'audit.entity_deleted',
    'invitation',
    Withdrawal,
    ({ metadata: { email, reason } }, { actor }) =>
      reason ? `The invitation for ${email} was withdrawn: ${reason}` : `${actor} withdrew the invitation for ${email}`,
    { action: 'revoke' },
  ),
}
