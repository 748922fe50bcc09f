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

/** What the server said when the page was made. */
export const startSettings: StartSettings = { ...defaults, ...window.FileBrowser }

/** The name people see. */
export const instanceName = startSettings.Name || 'File Browser'

/** The ways in that are offered to visitors. Where another system signs people in, none of them is ours to offer. */
export const offersLogin = startSettings.LoginPage && !startSettings.HideLoginButton
export const offersSignup = startSettings.LoginPage && startSettings.Signup
