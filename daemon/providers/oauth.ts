/** A server that people sign in to, and that does not tell programs how. */
export interface SignIn {
  name: string
  auth_url: string
  token_url: string
  scopes: readonly string[]
  /** Hosts, with all below them, whose servers take its tokens. */
  hosts: readonly string[]
}

export const signIns: readonly SignIn[] = [
  {
    name: 'google',
    auth_url: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_url: 'https://oauth2.googleapis.com/token',
    scopes: ['gmail.modify', 'calendar', 'drive'].map((name) => `https://www.googleapis.com/auth/${name}`),
    hosts: ['google.com', 'googleapis.com'],
  },
  {
    name: 'slack',
    auth_url: 'https://slack.com/oauth/v2/authorize',
    token_url: 'https://slack.com/api/oauth.v2.access',
    scopes: ['channels:read', 'chat:write'],
    hosts: ['slack.com'],
  },
  {
    name: 'github',
    auth_url: 'https://github.com/login/oauth/authorize',
    token_url: 'https://github.com/login/oauth/access_token',
    scopes: ['repo', 'user'],
    hosts: ['github.com', 'githubcopilot.com'],
  },
  {
    name: 'microsoft',
    auth_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    scopes: ['Mail.Read', 'Mail.Send', 'Calendars.ReadWrite'],
    hosts: ['microsoft.com', 'office.com'],
  },
  {
    name: 'linear',
    auth_url: 'https://linear.app/oauth/authorize',
    token_url: 'https://api.linear.app/oauth/token',
    scopes: ['read', 'write'],
    hosts: ['linear.app'],
  },
  {
    name: 'gitlab',
    auth_url: 'https://gitlab.com/oauth/authorize',
    token_url: 'https://gitlab.com/oauth/token',
    scopes: ['api', 'read_user'],
    hosts: ['gitlab.com'],
  },
  {
    name: 'cloudflare',
    auth_url: 'https://dash.cloudflare.com/oauth2/authorize',
    token_url: 'https://dash.cloudflare.com/oauth2/token',
    scopes: [],
    hosts: ['cloudflare.com'],
  },
  {
    name: 'stripe',
    auth_url: 'https://connect.stripe.com/oauth/authorize',
    token_url: 'https://connect.stripe.com/oauth/token',
    scopes: ['read_write'],
    hosts: ['stripe.com'],
  },
  {
    name: 'notion',
    auth_url: 'https://api.notion.com/v1/oauth/authorize',
    token_url: 'https://api.notion.com/v1/oauth/token',
    scopes: [],
    hosts: ['notion.com'],
  },
]
