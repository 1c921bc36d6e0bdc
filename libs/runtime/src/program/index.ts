export { startProgram } from './start-program';
