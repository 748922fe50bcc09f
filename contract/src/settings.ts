import { z } from 'zod'
import { listOf, Rule } from './rules.ts'
import { UserDefaults } from './users.ts'

const events = ['copy', 'delete', 'rename', 'save', 'upload'] as const

/** The hook events: a command list before and after each verb. */
export const eventNames = events.flatMap((event) => [`after_${event}`, `before_${event}`] as const).sort()

/** File Browser clients send 0 or an empty text for the default. */
const usualNumber = (usual: number) =>
  z
    .number()
    .int()
    .nonnegative()
    .default(usual)
    .transform((value) => value || usual)

export const Branding = z.object({
  name: z.string().default(''),
  disableExternal: z.boolean().default(false),
  disableUsedPercentage: z.boolean().default(false),
  files: z.string().default(''),
  theme: z.enum(['', 'light', 'dark']).default(''),
  color: z.string().default(''),
})

const usualTus = { chunkSize: 10_485_760, retryCount: 5 }

export const TusSettings = z
  .object({
    chunkSize: z.number().int().nonnegative().default(usualTus.chunkSize),
    retryCount: z.number().int().nonnegative().max(65_535).default(usualTus.retryCount),
  })
  .transform(({ chunkSize, retryCount }) =>
    // Without chunks there is nothing to retry: both zero stand for "never set". No retries alone is a choice.
    chunkSize === 0 && retryCount === 0 ? usualTus : { chunkSize: chunkSize || usualTus.chunkSize, retryCount },
  )

export const authMethods = ['json', 'proxy', 'hook', 'noauth'] as const

/** How people sign in, beyond the name of the method. Only the command line sees and changes it. */
export const AuthSettings = z.object({
  /** json: the bot check before the password. Both key and secret switch it on. */
  recaptcha: z
    .object({ host: z.string().default('https://www.google.com'), key: z.string(), secret: z.string() })
    .nullish()
    .transform((value) => value ?? null),
  /** proxy: the header that names the user, believed from a trusted proxy only. */
  header: z.string().default(''),
  /** proxy: make an account for a name that has none. */
  createUsers: z.boolean().default(true),
  /** hook: the program that decides, and its arguments. */
  command: z.string().default(''),
})
export type AuthSettings = z.infer<typeof AuthSettings>

/** The global settings: the shape of /api/settings plus what only the command line shows. */
export const Settings = z.object({
  signup: z.boolean().default(false),
  hideLoginButton: z.boolean().default(true),
  createUserDir: z.boolean().default(false),
  minimumPasswordLength: usualNumber(12),
  userHomeBasePath: z
    .string()
    .default('')
    .transform((text) => text || '/users'),
  defaults: UserDefaults.prefault({}),
  authMethod: z.enum(authMethods).default('json'),
  rules: listOf(Rule),
  branding: Branding.prefault({}),
  tus: TusSettings.prefault({}),
  shell: listOf(z.string()),
  commands: z
    .record(z.string(), listOf(z.string()))
    .default({})
    .transform((given) => ({
      ...Object.fromEntries(eventNames.map((event): [string, string[]] => [event, []])),
      ...given,
    })),
  logoutPage: z.string().default('/login'),
  fileMode: z.number().int().default(0o640),
  dirMode: z.number().int().default(0o750),
})
export type Settings = z.infer<typeof Settings>

/**
 * Settings that only the command line can change are not part of the API. What a request leaves out is off, as in File
 * Browser, whatever a first start chooses.
 */
export const WebSettings = Settings.omit({ logoutPage: true, fileMode: true, dirMode: true }).extend({
  hideLoginButton: z.boolean().default(false),
  defaults: UserDefaults.extend({ redirectAfterCopyMove: z.boolean().default(false) }).prefault({}),
})
export type WebSettings = z.infer<typeof WebSettings>

/** The settings in the page, in the letter case that File Browser clients and custom scripts read. */
export interface StartSettings {
  AuthMethod: string
  BaseURL: string
  CSS: boolean
  Color: string
  DisableExternal: boolean
  DisableUsedPercentage: boolean
  EnableExec: boolean
  EnableThumbs: boolean
  /** Unknown to File Browser clients: videos have thumbnails too. */
  EnableVideoThumbs: boolean
  /** Unknown to File Browser clients, and there only while visitors may see something without signing in. */
  Guests?: true
  HideLoginButton: boolean
  LoginPage: boolean
  LogoutPage: string
  Name: string
  NoAuth: boolean
  ReCaptcha: boolean
  ReCaptchaHost?: string
  ReCaptchaKey?: string
  /** Beside `Guests` alone, whose permissions no token tells: the server was started without changes. */
  ReadOnly?: true
  ResizePreview: boolean
  Signup: boolean
  StaticURL: string
  Theme: string
  TusSettings: z.infer<typeof TusSettings>
  Version: string
}
