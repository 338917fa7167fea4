import { bearer, type Provider } from './provider.ts'

/** Providers whose models no sidecar calls: their hosts are open to crews, and some can be asked about a key. */
export const others: readonly Provider[] = [
  {
    name: 'CURSOR',
    hosts: ['api.cursor.sh', 'api2.cursor.sh'],
    probe: (value) => ({
      url: 'https://api.cursor.com/v0/me',
      headers: { authorization: `Basic ${Buffer.from(`${value}:`).toString('base64')}` },
    }),
  },
  { name: 'FACTORY', hosts: ['api.factory.ai', 'app.factory.ai'] },
  { name: 'OPENROUTER', hosts: ['openrouter.ai'] },
  { name: 'XAI', hosts: ['api.x.ai'] },
  { name: 'GROQ', hosts: ['api.groq.com'] },
  { name: 'DEEPSEEK', hosts: ['api.deepseek.com'] },
  { name: 'MOONSHOT', hosts: ['api.moonshot.ai'] },
  { name: 'ZAI', hosts: ['api.z.ai'] },
  { name: 'MINIMAX', hosts: ['api.minimax.io'] },
  {
    name: 'GITHUB',
    probe: (value) => ({
      url: 'https://api.github.com/user',
      headers: { ...bearer(value), accept: 'application/vnd.github+json' },
    }),
  },
  {
    name: 'GITLAB',
    probe: (value) => ({ url: 'https://gitlab.com/api/v4/user', headers: { 'private-token': value } }),
  },
  { name: 'VERCEL', probe: (value) => ({ url: 'https://api.vercel.com/v2/user', headers: bearer(value) }) },
]
