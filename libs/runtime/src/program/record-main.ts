import { resolve } from 'node:path';
import { recordPack } from './record-pack';

/** Packs the modules of the programs in a folder, which is the argument. The flags of node are those of its start. */
recordPack(resolve(__dirname, '..', '..', '..', '..'), resolve(process.argv[2] ?? ''));
// Some packages leave timers or sockets when they are loaded.
process.exit();
