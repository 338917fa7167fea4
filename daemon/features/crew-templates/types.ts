/** The agent that leads a crew made from a template, and that agents hired from it are like. */
export interface Lead {
  role_title: string
  model: string
  system_prompt: string
}

export interface Template {
  slug: string
  name: string
  lead: Lead
}
