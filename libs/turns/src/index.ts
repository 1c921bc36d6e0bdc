export { FairTurns, type FairTurnsLimits, type TurnRequest } from './fair-turns';
export { TurnRefused } from './turn-refused';
export { TurnsByName } from './turns-by-name';
