/** Most browsers also name the ones they want to be mistaken for: the first that fits is the right one. */
const browsers: readonly [RegExp, string][] = [
  [/\b(?:Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(?:OPR|OPT)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bDuckDuckGo\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+.*\bSafari\//, 'Safari'],
]

const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

export interface Agent {
  /** The name of the browser, or of the program that is none. */
  program: string | null
  system: string | null
}

/** Reads what a browser says about itself, as far as a person would recognise it. */
export function readUserAgent(text: string): Agent {
  const isBrowser = text.startsWith('Mozilla/')
  return {
    program: firstMatch(browsers, text) ?? (isBrowser ? null : nameOfProgram(text)),
    system: firstMatch(systems, text),
  }
}

const firstMatch = (list: readonly [RegExp, string][], text: string): string | null =>
  list.find(([pattern]) => pattern.test(text))?.[1] ?? null

/** 'curl/8.5.0' is curl. */
const nameOfProgram = (text: string): string | null => /^[\w. -]{1,40}(?=\/|$)/.exec(text.trim())?.[0] ?? null
