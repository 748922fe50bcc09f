import { z } from 'zod'

/** Every setting or record whose meaning can differ after the takeover from File Browser. A closed set, so that it can be translated. */
export const takeoverCodes = [
  'commands-off',
  'shell-off',
  'hook-placeholder',
  'rule-without-slash',
  'rule-unreadable',
  'rule-dropped',
  'rule-rewritten',
  'rule-holds-below',
  'dotfiles-hidden',
  'link-leaves-scope',
  'links-followed',
  'home-shared',
  'home-missing',
  'share-missing',
  'share-outside',
  'share-expired',
  'share-without-owner',
  'share-shut',
  'share-unusable',
  'share-tokens-kept',
  'share-needs-download',
  'password-unusable',
  'no-administrator',
  'sessions-ended',
  'proxy-untrusted',
  'method-unknown',
  'signup-own-home',
  'option-changed',
  'may-be-older',
  'not-looked',
] as const

export type TakeoverCode = (typeof takeoverCodes)[number]

/** One difference after the takeover. */
export const TakeoverChange = z.object({
  code: z.enum(takeoverCodes),
  /** What it is about: a name, a path, a rule. '+480' stands for so many more of the same kind. */
  subject: z.string(),
  message: z.string(),
  advice: z.string(),
  /** The page of the client where it can be changed. */
  link: z.string().optional(),
})
export type TakeoverChange = z.infer<typeof TakeoverChange>

/** The records taken over from File Browser, and the differences. */
export const TakeoverReport = z.object({
  /** Unix seconds. */
  when: z.number().int(),
  from: z.string(),
  taken: z.object({
    settings: z.boolean(),
    users: z.number().int(),
    shares: z.number().int(),
    rules: z.number().int(),
  }),
  changes: z.array(TakeoverChange),
})
export type TakeoverReport = z.infer<typeof TakeoverReport>
