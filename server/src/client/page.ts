import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuthSettings, Settings, StartSettings } from '@filestead/contract'
import { type OpenRoute, route } from '../access/routes.ts'
import { Failure } from '../failure.ts'
import { escapeHtml } from '../http/html.ts'
import { returnsBytes } from '../http/returns.ts'
import { authCookie, cookiesNamed, ownCookie } from '../sessions/cookies.ts'
import { hasCustomCss } from '../settings/branding.ts'
import type { ReadSettings } from '../settings/settings.ts'

export interface PageOptions {
  baseURL: string
  version: string
  enableExec: boolean
  enableThumbnails: boolean
  /** Whether ffmpeg is installed. */
  canTakeStills: boolean
  resizePreview: boolean
  /** Origins whose pages may embed this one in a frame. */
  frameAncestors: string
  /** Whether the server was started without changes. */
  readOnly: boolean
  /** Whether visitors may see something without signing in. */
  letsGuestsIn(settings: Settings): Promise<boolean>
}

/** Answers every address outside of the API with the page of the client, which routes by the address. */
export function pageRoute(
  folder: string,
  settings: ReadSettings,
  captcha: () => Promise<CaptchaSettings>,
  options: PageOptions,
): OpenRoute {
  const render = pageRenderer(folder, `${options.baseURL}/static`)
  const framers = options.frameAncestors.split(/[\s,]+/).filter(Boolean)
  return route({
    method: 'GET',
    path: '/*',
    access: 'anyone',
    summary: 'The page of the web client, at every address outside of the API.',
    returns: returnsBytes('The page', 'text/html'),
    sample: { at: 'files/' },
    async answer({ connection, request }) {
      const nonce = randomBytes(16).toString('base64')
      const current = await settings()
      const start: StartSettings = {
        ...startSettings(current, options),
        CSS: await hasCustomCss(current),
        ...(await captcha()),
        ...((await options.letsGuestsIn(current)) && { Guests: true, ...(options.readOnly && { ReadOnly: true }) }),
      }
      const needsLogin = start.LoginPage && start.Guests !== true && !hasAuthCookie(request)
      return new Response(render(start, nonce, pageOf(connection.path, needsLogin)), {
        headers: pageHeaders(nonce, framers, start.ReCaptchaHost),
      })
    },
  })
}

type CaptchaSettings = Pick<StartSettings, 'ReCaptcha' | 'ReCaptchaHost' | 'ReCaptchaKey'>

/** The captcha settings without the secret. */
export const captchaSettings = ({ recaptcha }: AuthSettings): CaptchaSettings =>
  recaptcha === null || recaptcha.key === '' || recaptcha.secret === ''
    ? { ReCaptcha: false }
    : { ReCaptcha: true, ReCaptchaHost: recaptcha.host, ReCaptchaKey: recaptcha.key }

// Frames are for the same origin, against clickjacking.
const pageHeaders = (nonce: string, framers: readonly string[], captchaHost = '') => ({
  'cache-control': 'no-cache, no-store, must-revalidate',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    `frame-src 'self' blob: ${captchaHost}`.trim(),
    "worker-src 'self' blob:",
    "manifest-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'self'",
    ["frame-ancestors 'self'", ...framers].join(' '),
  ].join('; '),
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  // X-Frame-Options cannot name origins.
  ...(framers.length === 0 && { 'x-frame-options': 'SAMEORIGIN' }),
})

function startSettings(settings: Settings, options: PageOptions): StartSettings {
  const { branding, authMethod } = settings
  return {
    AuthMethod: authMethod,
    BaseURL: options.baseURL,
    CSS: false,
    Color: branding.color,
    DisableExternal: branding.disableExternal,
    DisableUsedPercentage: branding.disableUsedPercentage,
    EnableExec: options.enableExec,
    EnableThumbs: options.enableThumbnails,
    EnableVideoThumbs: options.enableThumbnails && options.canTakeStills,
    HideLoginButton: settings.hideLoginButton,
    LoginPage: authMethod === 'json' || authMethod === 'hook',
    LogoutPage: settings.logoutPage,
    Name: branding.name,
    NoAuth: authMethod === 'noauth',
    ReCaptcha: false,
    ResizePreview: options.resizePreview,
    Signup: settings.signup,
    StaticURL: `${options.baseURL}/static`,
    Theme: branding.theme,
    TusSettings: settings.tus,
    Version: options.version,
  }
}

/** The kind of page that an address shows, as the build names it in `data-page`. */
type Page = 'files' | 'settings' | 'share' | 'login'

/** A guess by which the browser loads the right code early; the client decides for itself. */
function pageOf(path: string, needsLogin: boolean): Page {
  const first = path.split('/').find(Boolean)
  if (first === 'share') return 'share'
  return first === 'login' || needsLogin ? 'login' : first === 'settings' ? 'settings' : 'files'
}

const hasAuthCookie = (request: Request): boolean =>
  [ownCookie, authCookie].some((name) => cookiesNamed(request, name).length > 0)

/** Renders the built page. Addresses are filled in once, settings and nonce for every request. */
function pageRenderer(folder: string, staticURL: string) {
  const template = builtPage(folder)
    ?.replaceAll(/(href|src)="\.\//g, `$1="${staticURL}/`)
    .replaceAll(/<script(?=[ >])/g, '<script nonce="NONCE"')
    .replaceAll('<link rel="modulepreload" ', '<link rel="modulepreload" nonce="NONCE" ')
  return (settings: StartSettings, nonce: string, page: Page): string => {
    if (template === undefined) throw new Failure('unavailable', 'The web client has not been built')
    const captcha = settings.ReCaptchaHost && `${settings.ReCaptchaHost}/recaptcha/api.js?render=explicit`
    const script = `<script nonce="${nonce}">window.FileBrowser = ${inScript(settings)};</script>${
      captcha ? `<script nonce="${nonce}" src="${escapeHtml(captcha)}" async defer></script>` : ''
    }`
    const styles = settings.CSS ? `<link rel="stylesheet" href="${settings.StaticURL}/custom.css">` : ''
    return template
      .replaceAll(/ *<link [^>]*data-page="(\w+)">\n?/g, (link, name) => (name === page ? link : ''))
      .replaceAll('NONCE', nonce)
      .replace('<script ', () => `${script}<script `)
      .replace('</body>', () => `${styles}</body>`)
      .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(settings.Name || 'File Browser')}</title>`)
      .replace(/(<meta name="theme-color" content=")[^"]*"/, (_, start) => `${start}${themeColour(settings)}"`)
  }
}

const themeColour = (settings: StartSettings): string => escapeHtml(settings.Color || '#1f6f5b')

function builtPage(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, 'index.html'), 'utf8')
  } catch {
    return undefined
  }
}

/** JSON for a script element, which it cannot close. */
const inScript = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
