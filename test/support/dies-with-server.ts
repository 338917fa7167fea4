/** Starts a server that never ends by itself and tells its process, until it is killed. Argument: a folder for it. */
import { Servers } from '../../daemon/runtime/process/servers.ts'

const { output } = await new Servers().start('crew', process.argv[2]!, {
  serverId: 'x',
  argv: ['sh', '-c', 'echo $$; exec sleep 1000'],
  env: {},
})
output.pipe(process.stdout)
