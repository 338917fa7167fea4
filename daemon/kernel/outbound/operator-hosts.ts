/** Whether the operator names the host of an address, or host and port, in a list of exceptions. */
export const permitsAddress = (hosts: readonly string[], { hostname, port, protocol }: URL): boolean =>
  (protocol === 'http:' || protocol === 'https:') &&
  hosts.some((it) =>
    [hostname, `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`].includes(it.toLowerCase()),
  )
