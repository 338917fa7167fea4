/**
 * Marks a refusal of the sidecar's own, so that it is told from those of the model services. Clients add words of
 * their own before and after it.
 */
export const markRefusal = (message: string): string => `Muster: ${message} (Muster)`

/** The message of a refusal within what a client says; undefined when there is none. */
export const refusalIn = (text: string): string | undefined => /\bMuster: (.{1,1000}?) \(Muster\)/.exec(text)?.[1]
