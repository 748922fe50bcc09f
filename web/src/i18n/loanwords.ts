/** Names and signs that are the same everywhere. */
const everywhere = new Set(['File Browser', '/private', '\\.tmp$', 'Tus.io'])

/** Texts that a language really writes as English does. Whoever adds one has looked at it twice. */
const own: Record<string, readonly string[]> = {
  ca: ['Admin', 'Document', 'Editor', 'Info', 'Mosaic', 'Permanent', 'Regex', 'Sessions', 'Text'],
  de: ['Admin', 'Administrator', 'Audio', 'Editor', 'Info', 'Link', 'Name', 'Regex', 'Text', 'Uploads', 'Video'],
  es: ['Admin', 'Audio', 'Editor', 'Info', 'Regex'],
  fr: [
    'Actions',
    'Admin',
    'Archive',
    'Audio',
    'Compact',
    'Document',
    'Documentation',
    'Image',
    'Images',
    'Minutes',
    'Notifications',
    'Page {{page}}',
    'Permanent',
    'Permissions',
    'Regex',
    'Sessions',
    'Type',
    'Volume',
  ],
  it: [
    'Account',
    'Admin',
    'Audio',
    'Editor',
    'File',
    'Info',
    'Link',
    'Password',
    'Regex',
    'Video',
    'Volume',
    '{{count}} file',
    '{{count}} link',
  ],
  tr: ['Program', 'Video'],
  vi: ['Video'],
}

export const isSameWord = (locale: string, text: string): boolean =>
  everywhere.has(text) || (own[locale]?.includes(text) ?? false)
