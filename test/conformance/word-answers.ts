/** The part of an answer to a four-letter word in which two servers must agree. */
type Shown = (text: string) => string;

const MONITORED = new Set(
  [
    'server_state',
    'ephemerals_count',
    'num_alive_connections',
    'outstanding_requests',
    'znode_count',
    'global_sessions',
    'local_sessions',
    'watch_count',
    'approximate_data_size',
    'last_client_response_size',
    'connection_drop_probability',
  ].map((name) => `zk_${name}`),
);

const srvr: Shown = (text) =>
  connectionsSorted(
    text
      .replace(/(version: \d+\.\d+\.\d+).*/, '$1')
      .replace(/(min\/avg\/max: )[\d./]+/, '$1*')
      .replace(/^(Received|Sent): \d+/gm, '$1: *'),
  );

const mntr: Shown = (text) =>
  lines(text)
    .filter((line) => MONITORED.has(line.split('\t', 1)[0]!))
    .join('\n');

const cons: Shown = (text) =>
  connectionsSorted(text.replace(/\b(est|lresp|llat|minlat|avglat|maxlat)=\d+/g, '$1=*'));

/** Omits how many sessions expire at the same tick, which depends on when they started. */
const dump: Shown = (text) => {
  const [sessions = '', ephemerals = '', connections = ''] = text.split(
    /^(?:ephemeral nodes|Connections) dump:\n/m,
  );
  const alive = new Set(lines(sessions).filter((line) => line.startsWith('\t')));
  return [
    ...lines(sessions.replace(/Sets \(\d+\)/, 'Sets (*)')).filter((line) => !line.includes(' expire at ')),
    blocksSorted(ephemerals),
    // A real server sometimes still lists ended connections here.
    ...lines(withoutPorts(connections))
      .filter((line) => alive.has(`\t${line.split(' ').at(-1)}`))
      .sort(),
  ].join('\n');
};

const conf: Shown = (text) => text.replace(/^(clientPort|dataDir\w*|dataLog\w*)=.*/gm, '$1=*');

/**
 * The comparable part of each answer. Entries of hash tables and connections are sorted, because their order is
 * undefined.
 */
export const SHOWN = {
  srvr,
  stat: srvr,
  mntr,
  cons,
  dump,
  conf,
  wchs: (text: string) => text,
  wchp: blocksSorted,
  wchc: blocksSorted,
} as const;

function connectionsSorted(text: string): string {
  return linesSorted(withoutPorts(text), / \/127/);
}

/** A block is a line and the following lines that begin with a tab. */
function blocksSorted(text: string): string {
  const blocks = text.split(/\n(?!\t)/).map((block) => linesSorted(block, /^\t/));
  return blocks.sort().join('\n');
}

/** Sorts each run of lines that match the pattern; other lines stay in place. */
function linesSorted(text: string, pattern: RegExp): string {
  const sorted: string[] = [];
  let run: string[] = [];
  for (const line of lines(text)) {
    if (pattern.test(line)) run.push(line);
    else sorted.push(...run.splice(0).sort(), line);
  }
  return [...sorted, ...run.sort()].join('\n');
}

function withoutPorts(text: string): string {
  return text.replaceAll(/\/127\.0\.0\.1:\d+/g, '/127.0.0.1:*');
}

function lines(text: string): string[] {
  return text.split('\n');
}
