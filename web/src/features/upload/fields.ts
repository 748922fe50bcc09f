/** The file fields are always in the page, so that a chooser opens without a moment's wait. */
export const fileFieldId = 'upload-input'
export const folderFieldId = 'upload-folder-input'

export const canChooseFolders = (): boolean => 'webkitdirectory' in HTMLInputElement.prototype

/** Opens the browser's chooser. Only as the answer to a click. */
export function openChooser(kind: 'file' | 'folder'): void {
  document.getElementById(kind === 'file' ? fileFieldId : folderFieldId)?.click()
}
