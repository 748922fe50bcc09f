import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

/** As in `scripts/browser.mjs`. */
const browsers = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export default defineConfig({
  testDir: 'specs',
  workers: 2,
  // A busy machine may starve a browser. The second try is counted apart and named by `npm test`: it is a bug to mend.
  retries: 1,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  // Generous: a busy machine is slow, and a slow answer is not a wrong one.
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: 'results/e2e.json' }]],
  use: {
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
    // What moves is looked at by people. Here it would only be measured half-way.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    // A trace of every test costs more than the test: ask for it with `--trace retain-on-failure`.
    trace: 'off',
    launchOptions: {
      executablePath: process.env.FILESTEAD_CHROMIUM ?? browsers.find((path) => existsSync(path)),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // A page lives for seconds. Its heap begins with 1 MB: to collect it again and again until it has grown was a
        // tenth of each load. To optimise its code was another tenth of each test, and pays only later.
        '--js-flags=--min-semi-space-size=16 --no-maglev --no-turbofan',
      ],
    },
  },
})
