// Says plainly that Node is too old, before anything newer is used.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 17)) {
  process.stderr.write(
    `Error: Muster needs Node 20.17 or newer; this is ${process.versions.node}.\nNext: install a newer Node, ` +
      "from https://nodejs.org or your system's packages\n",
  )
  process.exit(1)
}
