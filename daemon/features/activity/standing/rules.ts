const path = /(?:~|\.{1,2})?(?:\/[\w.@+-]+){2,}\/?/g
const variable = /\b([A-Za-z_][A-Za-z0-9_]*)=(?:"[^"]*"|'[^']*'|\S+)/g

/** A text without what tells of the machine: paths, and values of variables. */
export const withoutPlaces = (text: string): string => text.replace(variable, '$1=[value]').replace(path, '[path]')
