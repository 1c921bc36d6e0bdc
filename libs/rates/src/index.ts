export { Pace, type TakeTokens } from './pace';
export { ratesOf, SharedRates, type TokensGiven, type TokensWanted } from './shared-rates';
