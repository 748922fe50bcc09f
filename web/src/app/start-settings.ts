import type { StartSettings } from '@filestead/contract'

declare global {
  interface Window {
    /** Written into the page by the server; absent when the client is served by a development server. */
    FileBrowser?: Partial<StartSettings>
  }
}

const defaults: StartSettings = {
  AuthMethod: 'json',
  BaseURL: '',
  CSS: false,
  Color: '',
  DisableExternal: false,
  DisableUsedPercentage: false,
  EnableExec: false,
  EnableThumbs: false,
  HideLoginButton: false,
  LoginPage: true,
  LogoutPage: '/login',
  Name: '',
  NoAuth: false,
  ReCaptcha: false,
  ResizePreview: false,
  Signup: false,
  StaticURL: '',
  Theme: '',
  TusSettings: { chunkSize: 10 * 1024 * 1024, retryCount: 5 },
  Version: '',
}

/** The only reader of `window.FileBrowser`. */
export function readStartSettings(): StartSettings {
  return { ...defaults, ...window.FileBrowser }
}
