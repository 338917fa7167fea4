import { afterAll, afterEach } from 'vitest'
import { endFile, endTest } from './endings.ts'

// Files of tests share a worker and its modules, so a module cannot do this when it is loaded.
afterEach(endTest)
afterAll(endFile)
