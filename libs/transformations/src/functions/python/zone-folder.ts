import { Directory, Fd, Inode, PreopenDirectory, wasi } from '@bjorn3/browser_wasi_shim';
import { TZIF_MAGIC, writeTzif } from './tzif';
import { zoneHistory } from './zone-history';
import { ZONE_LINKS } from './zone-links';

/** The first path that the interpreter searches. */
const PLACE = '/usr/share/zoneinfo';

/** A file that is generated when it is read past its first bytes; its size is 0 before, as in `/proc`. */
class ZoneFile extends Inode {
  private made: Buffer | undefined;

  constructor(private readonly timeZone: string) {
    super();
  }

  get bytes(): Buffer {
    return (this.made ??= writeTzif(zoneHistory(this.timeZone)));
  }

  override path_open(flags: number): { ret: number; fd_obj: Fd | null } {
    if ((flags & wasi.OFLAGS_TRUNC) !== 0) return { ret: wasi.ERRNO_ROFS, fd_obj: null };
    return { ret: wasi.ERRNO_SUCCESS, fd_obj: new OpenZone(this) };
  }

  override stat(): wasi.Filestat {
    const size = this.made?.length ?? 0;
    return new wasi.Filestat(this.ino, wasi.FILETYPE_REGULAR_FILE, BigInt(size));
  }
}

class OpenZone extends Fd {
  private position = 0;

  constructor(private readonly file: ZoneFile) {
    super();
  }

  /** Returns only the first bytes at first: a listing of all zones reads no more. */
  override fd_read(size: number): { ret: number; data: Uint8Array } {
    const known = this.position === 0 ? TZIF_MAGIC : this.file.bytes.subarray(this.position);
    const data = known.subarray(0, size);
    this.position += data.length;
    return { ret: wasi.ERRNO_SUCCESS, data };
  }

  override fd_seek(offset: bigint, whence: number): { ret: number; offset: bigint } {
    const from = this.startOf(whence);
    const position = from + Number(offset);
    if (!(position >= 0)) return { ret: wasi.ERRNO_INVAL, offset: 0n };
    this.position = position;
    return this.fd_tell();
  }

  override fd_tell(): { ret: number; offset: bigint } {
    return { ret: wasi.ERRNO_SUCCESS, offset: BigInt(this.position) };
  }

  override fd_fdstat_get(): { ret: number; fdstat: wasi.Fdstat } {
    return {
      ret: wasi.ERRNO_SUCCESS,
      fdstat: new wasi.Fdstat(wasi.FILETYPE_REGULAR_FILE, 0),
    };
  }

  override fd_filestat_get(): { ret: number; filestat: wasi.Filestat } {
    return { ret: wasi.ERRNO_SUCCESS, filestat: this.file.stat() };
  }

  private startOf(whence: number): number {
    if (whence === wasi.WHENCE_SET) return 0;
    if (whence === wasi.WHENCE_CUR) return this.position;
    return whence === wasi.WHENCE_END ? this.file.bytes.length : NaN;
  }
}

/** Every call that creates, moves or removes an entry requests its parent folder first, which is refused here. */
class ReadOnlyFolder extends Directory {
  override get_parent_dir_and_entry_for_path(): {
    ret: number;
    parent_entry: null;
    filename: null;
    entry: null;
  } {
    return { ret: wasi.ERRNO_ROFS, parent_entry: null, filename: null, entry: null };
  }
}

class MountedFolder extends PreopenDirectory {
  constructor(name: string, folder: Directory) {
    super(name, folder.contents);
    this.dir = folder;
  }
}

const subfolder = (folder: Directory, name: string): Directory => {
  const known = folder.contents.get(name);
  if (known instanceof Directory) return known;
  const made = new ReadOnlyFolder([]);
  folder.contents.set(name, made);
  return made;
};

/**
 * Creates a folder with every name of the time zone database; the files are generated from the runtime's own data, not
 * read from the host.
 */
export const zoneFolder = (): Fd => {
  const root = new ReadOnlyFolder(new Map());
  for (const timeZone of [...Intl.supportedValuesOf('timeZone'), ...ZONE_LINKS]) {
    const parts = timeZone.split('/');
    const name = parts.pop() ?? '';
    parts.reduce<Directory>(subfolder, root).contents.set(name, new ZoneFile(timeZone));
  }
  return new MountedFolder(PLACE, root);
};
