/** Bundles the programs that go into containers. Returns the folder they are in. */
export function buildContainerPrograms(folder?: string): Promise<string>
