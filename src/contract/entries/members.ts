import { Type } from 'typebox'
import { capabilities } from '../capabilities.ts'
import { roles } from '../roles.ts'
import { type AuditPayload, audit, Word } from './define.ts'
import { named } from './quote.ts'

const Role = Type.Enum([...roles])
const OnHost = Type.Optional(Type.Literal('host'))
const person = { user_id: Type.String(), email: Word }

const Creation = Type.Object({
  ...person,
  role: Role,
  previous_role: Type.Optional(Type.Null()),
  provisioned: Type.Optional(Type.Literal(true)),
  setup_link: Type.Optional(Type.Boolean({ description: 'Whether a link to set up the account was handed out' })),
  via: OnHost,
})
const Change = Type.Object({
  ...person,
  role: Role,
  previous_role: Role,
  changed: Type.Array(Type.Literal('role')),
  via: OnHost,
})
const Deletion = Type.Object({ ...person, role: Role })
const Held = Type.Array(Type.Enum([...capabilities]))
const Capabilities = Type.Object({
  ...person,
  changed: Type.Array(Type.Literal('capabilities')),
  from: Held,
  to: Held,
})

/** For example `Grace Hopper (grace@example.com)`. `name` is the person's full name where it is known. */
const called = ({
  name,
  entity_id,
  metadata: { email },
}: AuditPayload<typeof Deletion> | AuditPayload<typeof Capabilities>) =>
  name && name !== entity_id ? `${named(name)} (${email})` : email

const end = (via: 'host' | undefined, actor: string) => (via ? 'on the host' : `by ${actor}`)

export const memberFacts = {
  'workspace_member.created': audit(
    'audit.entity_created',
    'workspace_member',
    Creation,
    (it, { actor }) => `${called(it)} was added as ${it.metadata.role} ${end(it.metadata.via, actor)}`,
  ),
  'workspace_member.updated': audit('audit.entity_updated', 'workspace_member', Change, (it, { actor }) => {
    const { previous_role, role, via } = it.metadata
    return `The role of ${called(it)} was changed from ${previous_role} to ${role} ${end(via, actor)}`
  }),
  'workspace_member.deleted': audit('audit.entity_deleted', 'workspace_member', Deletion, (it, { actor }) =>
    it.metadata.email === actor
      ? `${called(it)} left the workspace`
      : `${called(it)} was removed from the workspace by ${actor}`,
  ),
  'workspace_member.capabilities_changed': audit(
    'audit.entity_updated',
    'workspace_member',
    Capabilities,
    (it, { actor }) => `The capabilities of ${called(it)} were changed to ${it.metadata.to.join(', ')} by ${actor}`,
  ),
}
