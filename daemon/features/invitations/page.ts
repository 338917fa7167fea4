import type { App } from '#kernel/app'
import type { Web } from '#kernel/feature'

/** Where the link of an invitation leads. It says how to accept; the token stays in the address, where nothing here reads it. */
export function showPage({ config }: App, { reply }: Web): string {
  const server = config.publicUrl ? new URL(config.publicUrl).origin : 'ADDRESS'
  reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Invitation to Muster</title></head>
<body>
<h1>You are invited to a workspace</h1>
<p>Accept on your machine, with the command line of Muster:</p>
<ol>
<li>Sign in: <code>muster login --server ${server}</code></li>
<li>Accept: <code>muster invitations redeem</code>, and paste the address of this page when asked.</li>
</ol>
<p>Without an account, sign up with the address that was invited: you are a member then at once. Where this server takes no
sign-ups, ask the person who invited you to make an account for you.</p>
<p>The address of this page is the invitation: whoever has it can accept. It works once, for seven days.</p>
</body>
</html>
`
}
