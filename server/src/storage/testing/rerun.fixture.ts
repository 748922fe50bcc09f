import { expect } from 'bun:test'

/** Runs a test file once more, inside another program that changes what the system allows. */
export function rerun(file: string, through: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...through, process.execPath, 'test', '--timeout=60000', file], {
    // What this runner has prepared may be closed to another account.
    env: { ...process.env, HOME: '/nonexistent', [marker]: '1', PREPARED_FOR_TESTS: undefined },
  })
  expect(exitCode === 0 ? '' : stderr.toString()).toBe('')
}

/** Is this the second run? */
export const isRerun = (): boolean => process.env[marker] === '1'

const marker = 'TEST_RERUN'
