import type { Config } from '#kernel/config'
import { anthropic } from './anthropic/provider.ts'
import { google } from './google.ts'
import { openai } from './openai.ts'
import { others } from './others.ts'
import type { Provider } from './provider.ts'

export const providers: readonly Provider[] = [anthropic, openai, google, ...others]

export const providerOf = (name: string): Provider | undefined => providers.find((provider) => provider.name === name)

/** The provider that a model's name tells. */
export const providerOfModel = (model: string): Provider | undefined =>
  providers.find(({ models }) => models?.family?.test(model))

/** Where a provider's calls go, without a slash at the end; null when no operator can change it. */
export const addressOf = ({ vendor }: Config, { address }: Provider): string | null =>
  address ? vendor[address.path]!.replace(/\/+$/, '') : null
