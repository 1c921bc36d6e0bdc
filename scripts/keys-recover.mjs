import { runBuilt } from './run-built.mjs';

runBuilt(['standalone/dist/recover-key-main.js']);
