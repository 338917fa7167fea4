/** A tool that agents are offered: where its call goes and what it takes, as JSON Schema. */
export interface AgentTool {
  name: string
  description: string
  inputSchema: { type: 'object'; properties: Record<string, object>; required?: readonly string[] }
  /** The agents' route that carries it out; the arguments are its body. */
  route: string
}

const text = (description: string, more: object = {}) => ({ type: 'string', description, ...more })

/** Every tool of the server `muster`. What a route may be called with beyond these members is not for models. */
export const agentTools: readonly AgentTool[] = [
  {
    name: 'escalate',
    description:
      'Ask the people responsible for you to decide something, and wait up to five minutes for their answer. Use it before what is hard to undo, and when only a person can know. The result has status RESOLVED with resolution and action (approve, reject, or redirect with redirect_to: ask that agent instead), or UNANSWERED: then go on carefully and say at the end what you assumed.',
    inputSchema: {
      type: 'object',
      properties: {
        reason: text('The question in a sentence or two, so that it can be answered without knowing your work'),
        context: text('What one must know to decide: what you found, the options, what you would do. Markdown'),
        type: text('TEXT unless stated. LINK: something to look at. CREDENTIAL: a secret that you made or found and that is to be kept', {
          enum: ['TEXT', 'LINK', 'CREDENTIAL'],
        }),
        metadata: {
          description: 'For LINK the https address. For CREDENTIAL {name, type, provider, value}; write the value nowhere else',
          anyOf: [{ type: 'string' }, { type: 'object' }],
        },
      },
      required: ['reason'],
    },
    route: '/escalate',
  },
  {
    name: 'ask_human',
    description:
      'Ask a person what only a person can know or decide, however long that takes. It ends your program, and the commands that you left running; once there is an answer you go on with it, knowing all that you know now. For what need not hold you up longer than five minutes use escalate.',
    inputSchema: {
      type: 'object',
      properties: {
        question: text('The question, so that it can be answered without knowing your work; 4000 characters at most'),
        context: text('What one must know to answer: what you found, the options, what you would do. Markdown'),
      },
      required: ['question'],
    },
    route: '/ask-human',
  },
  {
    name: 'expose_port',
    description:
      'Show people what you have built: open a port of your crew by a URL that is valid for a while. Start the server first, so that it outlives you (setsid -f COMMAND), listening on 127.0.0.1. Give the url of the result to the people; whoever has it sees the page. It runs in a sandbox without cookies, storage and WebSockets; link with relative paths.',
    inputSchema: {
      type: 'object',
      properties: {
        port: { type: 'integer', minimum: 1, maximum: 65535, description: 'The port on which your server listens' },
        description: text('What is to be seen there, in a few words'),
        ttl_seconds: { type: 'integer', minimum: 1, maximum: 86_400, description: 'How long it is open; an hour unless stated' },
      },
      required: ['port'],
    },
    route: '/expose-port',
  },
  {
    name: 'report_confidence',
    description: 'Put on record how sure you are of what you do. Nobody answers; people see it in the journal.',
    inputSchema: {
      type: 'object',
      properties: {
        confidence: { type: 'number', minimum: 0, maximum: 1, description: '0: guessing, 1: certain' },
        reason: text('Why'),
      },
      required: ['confidence'],
    },
    route: '/report-confidence',
  },
  {
    name: 'create_agent',
    description:
      'For the LEAD of a crew alone: ask for another agent in it. Depending on how much the crew may do, it is there at once (status IDLE), waits until people approve it (PENDING_REVIEW), or is refused.',
    inputSchema: {
      type: 'object',
      properties: {
        name: text('What people call it'),
        slug: text('Its short name: a-z, 0-9, _ and -, 2 to 50 characters'),
        role_title: text('What it does, in a few words'),
        system_prompt: text('What it is told to be and to do'),
        reason: text('Why the crew needs it; people decide by this'),
      },
      required: ['name', 'slug', 'reason'],
    },
    route: '/agents',
  },
]
