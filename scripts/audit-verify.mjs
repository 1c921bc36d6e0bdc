import { runBuilt } from './run-built.mjs';

runBuilt(
  ['pipeline-service/dist/audit-verify-main.js', ...process.argv.slice(2)],
  ['run-executor/dist/audit-verify-main.js'],
);
