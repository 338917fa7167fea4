import { type Static, type TObject, type TOptional, type TProperties, type TSchema, Type } from 'typebox'
import { named } from './quote.ts'

export const severities = ['info', 'notice', 'warn', 'error'] as const
export type Severity = (typeof severities)[number]

/** The names that a sentence may use for those whom an entry concerns. */
export interface Names {
  /** Who acted: the e-mail address of a person, the name of an agent, otherwise "Muster". */
  readonly actor: string
  /** Who acted, as people address each other: a person by their full name where it is known, `named`. */
  readonly person: string
  /** The display name of the entry's agent, `named`. */
  readonly agent: string
  /** The slug of the entry's crew. */
  readonly crew: string
}

/** A fact that Muster records: how it is stored, and the sentence that people read. */
export interface FactDefinition<P extends TSchema = TSchema, T extends string = string, F extends Fixed = Fixed> {
  /** The journal's entry type. */
  type: T
  severity: Severity
  payload: P
  /** Members of the payload that the definition states itself. */
  fixed?: F
  says(payload: Static<P>, names: Names): string
}

type Fixed = { readonly [member: string]: string }

type AuditType = 'audit.entity_created' | 'audit.entity_updated' | 'audit.entity_deleted' | 'audit.entity_restored'

/** A fact with its own entry type. */
export const entry = <const T extends string, P extends TSchema>(
  type: T,
  severity: Severity,
  payload: P,
  says: (payload: Static<P>, names: Names) => string,
): FactDefinition<P, T, Record<never, never>> => ({ type, severity, payload, says })

/**
 * A fact that is stored under one of the four audit types, with the thing that was changed. `more` holds members of the
 * payload beside the metadata. docs/rules/journal.md, "Entries".
 */
export function audit<
  const T extends AuditType,
  const E extends string,
  M extends TSchema,
  X extends TProperties = Record<never, TSchema>,
>(
  type: T,
  entity: E,
  metadata: M,
  says: (payload: AuditPayload<M> & { name: string } & Static<TObject<X>>, names: Names) => string,
  { severity = 'notice', action = actions[type], more }: { severity?: Severity; action?: string; more?: X } = {},
): FactDefinition<AuditSchema<M, X>, T, Audited<E>> {
  const fixed = { action, entity_type: entity }
  const payload = Type.Object({
    action: Type.Literal(action),
    entity_type: Type.Literal(entity),
    entity_id: Type.String(),
    name: Type.Optional(Type.String({ description: 'What people call it' })),
    metadata: isRequired(metadata) ? metadata : Type.Optional(metadata),
    ...more,
  })
  // What has no name is called by its id.
  const said = (it: { name?: string; entity_id: string }, names: Names) =>
    says({ ...it, name: /\S/.test(it.name ?? '') ? it.name : it.entity_id } as never, names)
  return { type, severity, payload: payload as unknown as AuditSchema<M, X>, fixed, says: said as never }
}

/** As `audit`, of several things at once: the payload names none of them. */
export function auditOfAll<const T extends AuditType, const E extends string, M extends TSchema>(
  type: T,
  entity: E,
  metadata: M,
  says: (payload: { metadata: Static<M> }, names: Names) => string,
): FactDefinition<TObject<{ metadata: M }>, T, Audited<E>> {
  const fixed = { action: actions[type], entity_type: entity }
  const payload = Type.Object({
    action: Type.Literal(fixed.action),
    entity_type: Type.Literal(entity),
    metadata,
  })
  return { type, severity: 'notice', payload: payload as never, fixed, says: says as never }
}

/** An address, or another text without blanks. */
export const Word = Type.String({ pattern: '^\\S+$' })

/** The part of an audit payload that the definition adds. */
export type Audited<E extends string> = { readonly action: string; readonly entity_type: E }

/** The part of an audit payload that its writer gives. */
export type AuditPayload<M extends TSchema = TSchema> = Static<AuditSchema<M>>

export type AuditSchema<M extends TSchema, X extends TProperties = Record<never, TSchema>> = TObject<
  {
    entity_id: ReturnType<typeof Type.String>
    name: ReturnType<typeof Type.Optional<ReturnType<typeof Type.String>>>
    metadata: Metadata<M>
  } & X
>

/** Metadata may be left out when none of its members is required. */
type Metadata<M extends TSchema> = Record<never, never> extends Static<M> ? TOptional<M> : M
const isRequired = (metadata: TSchema): boolean =>
  'required' in metadata && Array.isArray(metadata.required) && metadata.required.length > 0

const actions = {
  'audit.entity_created': 'create',
  'audit.entity_updated': 'update',
  'audit.entity_deleted': 'delete',
  'audit.entity_restored': 'restore',
} as const

/** Metadata of a plain change: the names of the members that changed. */
export const Changed = Type.Object({ changed: Type.Optional(Type.Array(Type.String())) })

/**
 * The plain facts of an entity: `crew.created`, `crew.updated`, `crew.deleted`. `noun` begins the sentence; `cited`
 * writes the name into it: `quoted` always has quotation marks, `named` only where they are needed.
 */
export function audits<const E extends string>(entity: E, noun: string, cited = named) {
  const called = ({ name, entity_id }: AuditPayload) => `${noun} ${cited(name ?? entity_id)}`
  return {
    [`${entity}.created`]: audit(
      'audit.entity_created',
      entity,
      Changed,
      (it, { actor }) => `${called(it)} was created by ${actor}`,
    ),
    [`${entity}.updated`]: audit(
      'audit.entity_updated',
      entity,
      Changed,
      (it, { actor }) => `${called(it)} was changed by ${actor}${list(it.metadata?.changed)}`,
    ),
    [`${entity}.deleted`]: audit(
      'audit.entity_deleted',
      entity,
      Changed,
      (it, { actor }) => `${called(it)} was deleted by ${actor}`,
    ),
  } as {
    [K in `${E}.created`]: FactDefinition<AuditSchema<typeof Changed>, 'audit.entity_created', Audited<E>>
  } & {
    [K in `${E}.updated`]: FactDefinition<AuditSchema<typeof Changed>, 'audit.entity_updated', Audited<E>>
  } & {
    [K in `${E}.deleted`]: FactDefinition<AuditSchema<typeof Changed>, 'audit.entity_deleted', Audited<E>>
  }
}

const list = (members: readonly string[] | undefined) => (members?.length ? `: ${members.join(', ')}` : '')
