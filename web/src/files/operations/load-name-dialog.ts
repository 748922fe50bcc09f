/** Loaded when a name is first asked for; what is typed meanwhile is kept for its field. */
export const loadNameDialog = async () => (await import('./NameDialog.tsx')).NameDialog
