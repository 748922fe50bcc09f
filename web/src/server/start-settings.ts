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
  EnableVideoThumbs: false,
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

/** What the server wrote into the page. Unit tests of modules that only read it run without a page. */
export const startSettings: StartSettings = { ...defaults, ...globalThis.window?.FileBrowser }

/** The name of the instance, as pages show it. */
export const instanceName = startSettings.Name || 'File Browser'

/** What visitors are offered. Where another system signs in, neither is. */
export const offersLogin = startSettings.LoginPage && !startSettings.HideLoginButton
export const offersSignup = startSettings.LoginPage && startSettings.Signup
