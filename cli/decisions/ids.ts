/** The id of what an inbox item is about, such as `ibx_escalation_c…`; any other id as it is. */
export const bareId = (id: string): string => /^ibx_[a-z_]+?_((?:mp_)?[^_]+)$/.exec(id)?.[1] ?? id
