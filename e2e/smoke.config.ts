import { defineConfig } from '@playwright/test'
import type { EngineOptions } from './smoke/engines.ts'

/** A few flows on the engines that the browser suite does not use. */
export default defineConfig<object, EngineOptions>({
  testDir: 'smoke',
  workers: 2,
  // As in the browser suite: a second try is counted and named.
  retries: 1,
  forbidOnly: Boolean(process.env.CI),
  // Generous: a machine that does other things as well gives an engine a tenth of what it needs.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], ['json', { outputFile: 'results/smoke.json' }]],
  projects: [
    { name: 'firefox', use: { engineName: 'firefox' } },
    { name: 'webkit', use: { engineName: 'webkit' } },
  ],
})
