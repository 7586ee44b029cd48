"""Names and profile texts of the demo's users."""

from .grammar import split_words

GIVEN = split_words(
    "Ada | Aiko | Alba | Alexei | Amara | Amina | Anders | Anja | Arjun | Astrid | Ayşe | Bea"
    " | Benoît | Bjarne | Bruno | Carla | Cem | Chloé | Chen | Clara | Dara | Dario | Deepa |"
    " Diego | Dmitri | Edda | Ekaterina | Elif | Emeka | Emil | Enzo | Esra | Fatima | Felix |"
    " Fiona | Freya | Gabriel | Giulia | Grace | Greta | Hana | Hannes | Hugo | Ibrahim | Ida"
    " | Ikram | Ines | Ingrid | Isla | Ivan | Jana | Jasper | Jin | João | Jonas | Julia | Kai"
    " | Karim | Katja | Kenji | Kofi | Lars | Leila | Lena | Liam | Lina | Lucía | Luka |"
    " Magda | Mahmoud | Maja | Marek | Mariam | Marta | Mateo | Mei | Mila | Mohan | Nadia |"
    " Naoki | Nils | Noor | Nora | Oleg | Olivia | Omar | Oskar | Pablo | Paula | Petra |"
    " Piotr | Priya | Rafael | Ravi | Rosa | Ruth | Samira | Sanna | Selin | Sofia | Soren |"
    " Stefan | Tariq | Tessa | Theo | Tomás | Uma | Vera | Viktor | Wanjiru | Wei | Yara |"
    " Yuki | Yusuf | Zoë"
)

FAMILY = split_words(
    "Abe | Adeyemi | Almeida | Andersen | Aydin | Baker | Banerjee | Bauer | Berg | Bianchi |"
    " Botha | Brandt | Castro | Cohen | Costa | Dahl | Demir | Diallo | Dubois | Eriksen |"
    " Farah | Fischer | Flores | Fontaine | Garcia | Gruber | Gupta | Haddad | Hansen |"
    " Hayashi | Herrera | Hoffmann | Horvat | Ivanova | Jansen | Johansson | Kaya | Keller |"
    " Khan | Kim | Kimura | Kowalski | Krause | Lange | Larsen | Lindqvist | Lopez | Lund |"
    " Mäkinen | Marino | Martin | Mendes | Meyer | Molina | Moreau | Mutua | Müller | Nakamura"
    " | Ndiaye | Nguyen | Nielsen | Novak | Nowak | Obi | Okafor | Olsen | Ortega | Osei |"
    " Park | Patel | Pereira | Petrov | Pham | Popescu | Rao | Reyes | Ricci | Rojas | Rossi |"
    " Saito | Santos | Sato | Schmidt | Sharma | Silva | Singh | Smirnov | Svensson | Tanaka |"
    " Torres | Tran | Varga | Vogel | Wagner | Walsh | Wang | Weber | Wójcik | Yamada | Yilmaz"
    " | Zhang"
)

NICK_FIRST = split_words(
    "amber | binary | blue | brave | calm | dusty | fuzzy | gentle | green | hidden | humble"
    " | iron | lazy | lucky | midnight | mossy | north | paper | pixel | quiet | rusty |"
    " silver | sleepy | tiny | velvet | wild | zero"
)
NICK_LAST = split_words(
    "badger | beetle | cactus | compass | cursor | falcon | ferret | fox | garden | harbor |"
    " kernel | lambda | lantern | maple | moth | otter | owl | parser | pebble | penguin |"
    " pointer | raven | river | socket | tango | teapot | walrus | wombat"
)
"""First and second half of the logins of those who do not use their names."""

CITIES = split_words(
    "Accra | Amsterdam | Athens | Austin | Bangalore | Barcelona | Bergen | Berlin | Bogotá |"
    " Brno | Brussels | Bucharest | Buenos Aires | Cape Town | Copenhagen | Dublin | Edinburgh"
    " | Gdańsk | Graz | Hamburg | Hanoi | Helsinki | Istanbul | Kraków | Lagos | Leipzig |"
    " Lisbon | Ljubljana | Lyon | Madrid | Melbourne | Mexico City | Milan | Montréal |"
    " Nairobi | Osaka | Oslo | Porto | Prague | Pune | Riga | São Paulo | Seoul | Shanghai |"
    " Singapore | Tallinn | Toronto | Utrecht | Vienna | Vilnius | Warsaw | Wellington |"
    " Zürich"
)

COMPANIES = split_words(
    "Acorn Analytics | Bluebird Transit | Cedar & Sons | Delta Bakery Systems | Eastgate"
    " Library | Fernhill Health | Granite Cloud | Harbour Logistics | Ionic Maps | Juniper"
    " Schools | Kestrel Robotics | Lumen Theatre Tickets | Mosaic Insurance | Northwind"
    " Farming | self-employed | Opal Payments | Pinecone Games | Quarry Media | Ripple Water"
    " Works | a university | a start-up"
)

TAGLINES = split_words(
    "Mostly harmless. | I read the manual. | Works on my machine. | Slow is smooth, smooth is"
    " fast. | Tabs, spaces, whatever. | Ask me about «interest». | «interest» by day,"
    " «interest» by night. | It was DNS. | Still learning «interest». | Deleting code since"
    " «year». | Tea first. | Less, but better. | Professional rubber duck. | One commit at a"
    " time. | Here for «interest»."
)

CLIENTS = split_words(
    "schools | libraries | hospitals | museums | bus companies | small shops | banks"
)

BIOS: tuple[str, ...] = (
    "I write software for «clients» and grow tomatoes.",
    "Working with «interest» since «year». Before that I was a teacher.",
    "Parent of two, maintainer of three, author of none.",
    "Backend developer in «city». I like «interest», long trains and short meetings.",
    "I came for «interest» and stayed for the people.",
    "Former physicist. Now I count other things, mostly in «interest».",
    "Student, second year. Please be patient with me.",
    "I break things for a living and write reports about it.\n\nOpinions are *mine*.",
    "Consultant. I know a little about «interest», «interest» and other people's deadlines.",
    "Retired, but somebody has to look after the old systems.",
    "Self-taught. If I ask something basic, that is why.",
    "Mail is better than chat, a walk is better than mail.",
)

INTERESTS = split_words(
    "Python | Rust | Go | databases | typography | compilers | accessibility | embedded"
    " systems | maps | networks | testing | PostgreSQL | Linux | old computers | web standards"
    " | type systems | distributed systems | synthesizers"
)

PEOPLE_WORDS: dict[str, tuple[str, ...]] = {
    "interest": INTERESTS,
    "year": tuple(str(year) for year in range(1996, 2022)),
    "clients": CLIENTS,
    "city": CITIES,
}
