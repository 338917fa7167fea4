import type { Client } from '#client'
import { NotFound } from '../lookup/find.ts'
import { crewId } from '../lookup.ts'
import type { Tool } from '../views/integration-tools.ts'
import { serverId } from './find.ts'

/** What is done about tools, by their names. */
export interface Wanted {
  enable?: readonly string[] | undefined
  disable?: readonly string[] | undefined
  approve?: readonly string[] | undefined
  refuse?: readonly string[] | undefined
}

/** The tools of one server, of the workspace or of a crew. */
export class ServerTools {
  private readonly api: Client
  private readonly id: string
  private readonly crew: string | undefined
  private readonly name: string

  private constructor(api: Client, id: string, crew: string | undefined, name: string) {
    this.api = api
    this.id = id
    this.crew = crew
    this.name = name
  }

  static async of(api: Client, name: string, crew: string | undefined): Promise<ServerTools> {
    return new ServerTools(
      api,
      await serverId(api, name, crew),
      crew === undefined ? undefined : await crewId(api, crew),
      name,
    )
  }

  list(): Promise<Tool[]> {
    return this.crew === undefined
      ? this.api.integrations.tools({ integrationId: this.id })
      : this.api.integrations.toolsInCrew({ crewId: this.crew, serverId: this.id })
  }

  refresh() {
    return this.crew === undefined
      ? this.api.integrations.refreshTools({ integrationId: this.id, body: {} })
      : this.api.integrations.refreshToolsInCrew({ crewId: this.crew, serverId: this.id, body: {} })
  }

  /** Decides, then switches, for approving switches on; a name that no tool has is refused before anything is done. */
  async change({ enable = [], disable = [], approve = [], refuse = [] }: Wanted, known: readonly Tool[]) {
    for (const name of [...enable, ...disable, ...approve, ...refuse]) toolCalled(known, name, this.name)
    if (approve.length) await this.decide(true, approve, known)
    if (refuse.length) await this.decide(false, refuse, known)
    for (const name of enable) await this.set(name, true)
    for (const name of disable) await this.set(name, false)
  }

  private set(toolName: string, enabled: boolean) {
    const body = { enabled }
    return this.crew === undefined
      ? this.api.integrations.setTool({ integrationId: this.id, toolName, body })
      : this.api.integrations.setToolInCrew({ crewId: this.crew, serverId: this.id, toolName, body })
  }

  /** What is decided is what was known: should the server have changed a tool since, it is refused. */
  private decide(approve: boolean, names: readonly string[], known: readonly Tool[]) {
    const tools = names.map((tool_name) => ({ tool_name, revision: toolCalled(known, tool_name, this.name).revision }))
    const body = { approve, tools }
    return this.crew === undefined
      ? this.api.integrations.decideTools({ integrationId: this.id, body })
      : this.api.integrations.decideToolsInCrew({ crewId: this.crew, serverId: this.id, body })
  }
}

/** The tool of that name. */
export function toolCalled(known: readonly Tool[], name: string, server: string): Tool {
  const tool = known.find((row) => row.tool_name === name)
  if (!tool) throw new NotFound('tool', name, undefined, `muster integrations tools ${server}`)
  return tool
}
