import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

/** Takes and releases Curator's InterProcessMutex a number of times, and prints one line of JSON for each event. */
public final class CuratorLocker {
    /** Gives access to the path of its contender. */
    private static final class Mutex extends InterProcessMutex {
        Mutex(CuratorFramework client, String path) {
            super(client, path);
        }

        String contender() {
            return getLockPath();
        }
    }

    private CuratorLocker() {}

    public static void main(String[] args) throws Exception {
        String path = args[1];
        int grants = Integer.parseInt(args[2]);
        int holdMs = Integer.parseInt(args[3]);
        try (CuratorFramework client =
                CuratorFrameworkFactory.newClient(args[0], 20_000, 15_000, new RetryOneTime(1_000))) {
            client.start();
            client.blockUntilConnected();
            System.out.println("{\"what\":\"ready\"}");
            System.in.read();
            endWithParent();
            for (int i = 0; i < grants; i++) {
                hold(client, new Mutex(client, path), holdMs);
            }
        }
        System.exit(0);
    }

    private static void hold(CuratorFramework client, Mutex mutex, int holdMs) throws Exception {
        mutex.acquire();
        long acquired = System.nanoTime();
        long czxid = client.checkExists().forPath(mutex.contender()).getCzxid();
        tell("acquired", acquired, czxid);
        Thread.sleep(holdMs);
        tell("releasing", System.nanoTime(), czxid);
        mutex.release();
    }

    private static void tell(String what, long at, long czxid) {
        System.out.println("{\"what\":\"" + what + "\",\"at\":\"" + at + "\",\"czxid\":\"" + czxid + "\"}");
    }

    private static void endWithParent() {
        Thread watcher = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {}
            } catch (java.io.IOException ended) {
                // A broken pipe also means the end.
            }
            Runtime.getRuntime().halt(1);
        });
        watcher.setDaemon(true);
        watcher.start();
    }
}
