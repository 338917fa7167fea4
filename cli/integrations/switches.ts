import type { Tool } from '../views/integration-tools.ts'
import type { Wanted } from './tools.ts'

/** What somebody wants of the tools of a server, while they change it. */
export class Switches {
  readonly tools: readonly Tool[]
  at = 0
  private readonly toggled = new Set<string>()
  private readonly approved = new Set<string>()

  constructor(tools: readonly Tool[]) {
    this.tools = tools
  }

  get here(): Tool {
    return this.tools[this.at]!
  }

  move(by: number): void {
    this.at = Math.min(this.tools.length - 1, Math.max(0, this.at + by))
  }

  toggle(): void {
    flip(this.toggled, this.here.tool_name)
  }

  /** Approves what is held, or no longer; nothing else can be approved. */
  approve(): void {
    if (this.here.held_since !== null) flip(this.approved, this.here.tool_name)
  }

  isOn({ tool_name, enabled }: Tool): boolean {
    return enabled !== this.toggled.has(tool_name)
  }

  isApproved = ({ tool_name }: Tool): boolean => this.approved.has(tool_name)

  isChanged = (tool: Tool): boolean => this.toggled.has(tool.tool_name) || this.isApproved(tool)

  get count(): number {
    return this.toggled.size + this.approved.size
  }

  changes(): Required<Wanted> {
    const named = (of: (tool: Tool) => boolean) => this.tools.filter(of).map((tool) => tool.tool_name)
    const isToggled = ({ tool_name }: Tool) => this.toggled.has(tool_name)
    return {
      enable: named((tool) => isToggled(tool) && this.isOn(tool)),
      disable: named((tool) => isToggled(tool) && !this.isOn(tool)),
      approve: named(this.isApproved),
      refuse: [],
    }
  }
}

function flip(set: Set<string>, name: string): void {
  if (!set.delete(name)) set.add(name)
}
