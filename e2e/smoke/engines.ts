import type { Engine, EnginePage } from '../drivers/engine.ts'
import { startFirefox } from '../drivers/firefox.ts'
import { startWebKit } from '../drivers/webkit.ts'
import { test as base } from '../product.ts'

export interface EngineOptions {
  engineName: 'firefox' | 'webkit'
}

/** The tests of the product, with a page of another engine than Chromium. */
export const test = base.extend<{ tab: EnginePage }, EngineOptions & { engine: Engine }>({
  engineName: ['firefox', { scope: 'worker', option: true }],
  engine: [
    async ({ engineName }, use) => {
      const engine = await (engineName === 'firefox' ? startFirefox() : startWebKit())
      try {
        await use(engine)
      } finally {
        await engine.stop()
      }
    },
    // Apart from the time of the first test that asks for it.
    { scope: 'worker', timeout: 120_000 },
  ],
  tab: async ({ engine }, use, info) => {
    const { page, close } = await engine.open()
    try {
      await use(page)
      if (info.status !== info.expectedStatus)
        await info.attach('screenshot', { body: await page.screenshot(), contentType: 'image/png' })
    } finally {
      await close()
    }
  },
})
